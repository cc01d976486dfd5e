package ledger

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ashlar.sh/sched/model"
)

// After any history, and whenever the numbers were read, queues are numbered as if they
// were sorted now.
func TestSeniorityIsTheOrderByAgeAndName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := New()
		for version := range rapid.IntRange(1, 30).Draw(t, "changes") {
			f := model.Fact{Ref: model.Ref{Kind: model.KindQueue, Name: rapid.StringMatching("[a-e]").Draw(t, "queue")},
				Version: uint64(version + 1)}
			if rapid.IntRange(0, 3).Draw(t, "there") > 0 {
				f.Object = &model.Queue{Meta: model.Meta{Name: f.Ref.Name, Created: int64(rapid.IntRange(0, 2).Draw(t, "created"))},
					Weight: int32(rapid.IntRange(1, 2).Draw(t, "weight")), Parent: rapid.SampledFrom([]string{"", "a", "d"}).Draw(t,
						"parent")}
			}
			l.Apply(f)
			if rapid.Bool().Draw(t, "unread") {
				continue
			}
			l.ExtendDims()
			var sorted []QueueID
			for q := range l.Queues.rows {
				if l.Queues.rows[q].Fact != nil {
					sorted = append(sorted, QueueID(q))
				}
			}
			slices.SortFunc(sorted, func(a, b QueueID) int {
				x, y := l.Queue(a), l.Queue(b)
				return cmp.Or(cmp.Compare(x.Fact.Created, y.Fact.Created), cmp.Compare(x.Name, y.Name))
			})
			for i, q := range sorted {
				if got := l.Queues.Seniority(q); got != int32(i) {
					t.Fatalf("%s has place %d, want %d", l.Queue(q).Name, got, i)
				}
			}
		}
	})
}
