package loop

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"
)

// BenchmarkDecisionToStream is how long after a decision a stream of jobs, queues and nodes has it, on 5 000 nodes and
// 100 000 pods, while jobs come and go five times a second; once alone, and once with a reader that asks for the pods
// of a job all the time, as a page does that shows one.
func BenchmarkDecisionToStream(b *testing.B) {
	for _, reader := range []string{"", "/v1/pods?namespace=bench&job=runs-0001"} {
		b.Run("beside "+reader, func(b *testing.B) {
			c := newCrowded(b)
			url, client := c.served(b)
			seen := make(chan string, 1000)
			first := make(chan struct{})
			go func() {
				body := get(b.Context(), b, client, "page", url+"/v1/watch?kinds=jobs,queues,nodes")
				defer body.Close()
				begun := false
				for lines := bufio.NewReaderSize(body, 1<<20); ; {
					line, err := lines.ReadSlice('\n')
					if err != nil {
						return
					}
					if !begun && bytes.Contains(line, []byte(`"BOOKMARK"`)) {
						begun = true
						close(first)
					}
					if i := bytes.Index(line, []byte(`"probe-`)); i >= 0 && bytes.Contains(line, []byte(`"Binding"`)) {
						seen <- string(line[i+1 : i+1+len("probe-00")])
					}
				}
			}()
			if reader != "" {
				go func() {
					for each := time.NewTicker(time.Second); b.Context().Err() == nil; <-each.C {
						_ = get(b.Context(), b, client, "page", url+reader).Close()
					}
				}()
			}
			c.rest(first)
			var took []time.Duration
			for i := range 40 {
				name := fmt.Sprintf("probe-%02d", i)
				c.job(name, 1, 1000, -1)
				c.work()
				decided := time.Now()
				next := time.NewTicker(time.Second / 5)
				for waits := true; waits; {
					select {
					case q := <-c.background.questions.asked:
						c.background.questions.reply(q)
					case <-next.C:
						c.work()
					case got := <-seen:
						if got == name {
							took = append(took, time.Since(decided))
							waits = false
						}
					}
				}
				next.Stop()
			}
			slices.Sort(took)
			b.ReportMetric(took[len(took)/2].Seconds(), "s-median")
			b.ReportMetric(took[len(took)*95/100-1].Seconds(), "s-p95")
			b.ReportMetric(0, "ns/op")
		})
	}
}
