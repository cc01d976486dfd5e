package policy

import "strings"

// Nearest is the candidate nearest to a misspelt name, "" when none is within two edits. For candidates of three
// letters it is one edit: two would match half of the names there are. Of equally near ones the first listed wins.
func Nearest(name string, candidates []string) string {
	best, distance := "", 3
	for _, c := range candidates {
		if max(len(name)-len(c), len(c)-len(name)) >= distance {
			continue
		}
		if d := edits(strings.ToLower(name), strings.ToLower(c)); d < distance && d*2 <= len(c) {
			best, distance = c, d
		}
	}
	return best
}

// edits counts the insertions, deletions, substitutions and swaps of neighbours that turn a into b.
func edits(a, b string) int {
	d := make([][]int, len(a)+1) // d[i][j]: from the first i letters of a to the first j of b
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
			case a[i-1] == b[j-1]:
				d[i][j] = d[i-1][j-1]
			default:
				d[i][j] = 1 + min(d[i-1][j-1], d[i-1][j], d[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
