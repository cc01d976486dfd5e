package policy

import "strings"

// Nearest is the candidate nearest to a misspelt name, "" when none is within two edits. For candidates of three
// letters it is one edit: two would match half of the names there are. Of equally near ones the first listed wins.
func Nearest(name string, candidates []string) string {
	best, distance := "", 3
	for _, c := range candidates {
		if d := edits(strings.ToLower(name), strings.ToLower(c), 2); d < distance && d*2 <= len(c) {
			best, distance = c, d
		}
	}
	return best
}

// edits counts insertions, deletions, substitutions and swaps of neighbours
// that turn a into b; anything above limit is limit+1, found without work when
// the lengths alone tell.
func edits(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit+1)
}
