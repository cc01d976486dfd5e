package ledger

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestManyChangesNameARowOnce: Rows returns the rows that Since does, where these are many each of them once however
// often it changed, and says whether they are known.
func TestManyChangesNameARowOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var f Feed[QueueID]
		var marks [3]Cursor
		var memory []QueueID
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			first := rapid.IntRange(0, 9).Draw(t, "first")
			for k := range rapid.IntRange(0, 2*fewChanges).Draw(t, "changes") {
				f.add(QueueID((first+k*k)%10), keepQueues)
			}
			mark := &marks[rapid.IntRange(0, 2).Draw(t, "reader")]
			changed, want := f.Since(*mark)
			rows, known, kept := f.Rows(*mark, memory)
			memory = kept
			rows = slices.Sorted(slices.Values(rows))
			if len(changed) <= fewChanges {
				rows = slices.Compact(rows)
			}
			if all := slices.Compact(slices.Sorted(slices.Values(changed))); known != want || !slices.Equal(rows, all) {
				t.Fatalf("it names %v, known: %t, want %v, %t", rows, known, all, want)
			}
			*mark = f.Now()
		}
	})
}

// A reader that looks now and then gets every queue that changed
// since, or that it may have happened to any.
func TestAReaderOfAFeedMissesNoChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var n Feed[QueueID]
		type reader struct {
			mark Cursor
			owed []QueueID
			all  bool
		}
		readers := []reader{{all: true}, {all: true}}
		happened := func(q QueueID, all bool) {
			for i := range readers {
				readers[i].owed = append(readers[i].owed, q)
				readers[i].all = readers[i].all || all
			}
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				n.forget()
				happened(NoQueue, true)
			case 1: // more than the log holds
				for q := range QueueID(2*keepQueues + 1) {
					n.add(q, keepQueues)
					happened(q, false)
				}
			case 2, 3, 4:
				r := &readers[rapid.IntRange(0, 1).Draw(t, "reader")]
				queues, ok := n.Follow(&r.mark)
				if ok && r.all {
					t.Fatal("the tree changed, and the reader is told of some queues")
				}
				for _, q := range r.owed {
					if ok && !slices.Contains(queues, q) {
						t.Fatalf("queue %d is not among %v", q, queues)
					}
				}
				*r = reader{mark: r.mark}
			default:
				q := QueueID(rapid.IntRange(0, 2).Draw(t, "queue"))
				n.add(q, keepQueues)
				happened(q, false)
			}
		}
	})
}
