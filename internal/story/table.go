package story

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// column is one column of a table about rows of a kind.
type column[T any] struct {
	name string
	cell func(T) string
}

// table prints the columns chosen, aligned, with a line of names above; the first
// column is always there.
func table[T any](rows []T, all []column[T], chosen []string) ([]string, error) {
	show := []column[T]{all[0]}
	for _, name := range chosen {
		i := slices.IndexFunc(all, func(c column[T]) bool { return c.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no column %q; there are %s", name, names(all))
		}
		if i > 0 {
			show = append(show, all[i])
		}
	}
	cells := make([][]string, len(rows)+1)
	for _, c := range show {
		cells[0] = append(cells[0], c.name)
		for i, r := range rows {
			cells[i+1] = append(cells[i+1], c.cell(r))
		}
	}
	return aligned(cells), nil
}

func names[T any](all []column[T]) string {
	var out []string
	for _, c := range all {
		out = append(out, c.name)
	}
	return strings.Join(out, ", ")
}

func aligned(cells [][]string) []string {
	width := make([]int, len(cells[0]))
	for _, row := range cells {
		for i, c := range row {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	var out []string
	for _, row := range cells {
		line := ""
		for i, c := range row {
			line += c + strings.Repeat(" ", width[i]-utf8.RuneCountInString(c)+2)
		}
		out = append(out, strings.TrimRight(line, " "))
	}
	return out
}
