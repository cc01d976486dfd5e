// Command table reads what go test -bench printed and shows it as a table beside the
// recorded run, with the ratio of the two. It judges nothing: machines differ, and a
// shared one is noisy; processor time (pods/cpu-s) differs less than time.
//
//	go test -run '^$' -bench . ./bench | go run ./bench/table -recorded bench/recorded.txt
//	… -record      write this run as the recorded one, with the machine's facts
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	file := flag.String("recorded", "bench/recorded.txt", "the recorded run")
	record := flag.Bool("record", false, "write this run as the recorded one")
	flag.Parse()
	if err := run(os.Stdin, os.Stdout, *file, *record); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, file string, record bool) error {
	var text strings.Builder
	now, err := parse(io.TeeReader(in, &text))
	if err != nil {
		return fmt.Errorf("reading the benchmarks: %w", err)
	}
	if len(now) == 0 {
		return fmt.Errorf("no benchmark ran:\n%s", text.String())
	}
	var was []result
	if f, err := os.Open(file); err == nil {
		defer f.Close()
		if was, err = parse(f); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	if err := write(out, now, was); err != nil || !record {
		return err
	}
	facts := fmt.Sprintf("# recorded %s, %s, %d processors\n", time.Now().Format(time.DateOnly), runtime.Version(),
		runtime.NumCPU())
	return os.WriteFile(file, []byte(facts+text.String()), 0o644)
}

// result is one figure of one benchmark.
type result struct {
	name, unit string
	value      float64
}

var (
	line  = regexp.MustCompile(`^Benchmark(\S+?)(-\d+)?\s+\d+\s+(.*)$`)
	shown = []string{"pods/cpu-s", "pods/s", "µs/event", "µs/one-pod", "of-one-queue", "bytes/node", "bytes/pod", "GiB"}
)

// parse reads the figures worth showing. Of a benchmark that ran several times the
// median counts.
func parse(r io.Reader) ([]result, error) {
	var order []result
	values := map[result][]float64{}
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		m := line.FindStringSubmatch(s.Text())
		if m == nil {
			continue
		}
		fields := strings.Fields(m[3])
		for i := 0; i+1 < len(fields); i += 2 {
			x, err := strconv.ParseFloat(fields[i], 64)
			if err != nil || !slices.Contains(shown, fields[i+1]) {
				continue
			}
			k := result{name: m[1], unit: fields[i+1]}
			if values[k] == nil {
				order = append(order, k)
			}
			values[k] = append(values[k], x)
		}
	}
	for i, k := range order {
		xs := values[k]
		slices.Sort(xs)
		order[i].value = xs[len(xs)/2]
	}
	return order, s.Err()
}

func write(out io.Writer, now, was []result) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "benchmark\tnow\trecorded\tratio\tunit")
	for _, r := range now {
		recorded, ratio := "-", "-"
		for _, o := range was {
			if o.name == r.name && o.unit == r.unit {
				recorded = number(o.value)
				if o.value != 0 {
					ratio = fmt.Sprintf("%.2f", r.value/o.value)
				}
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.name, number(r.value), recorded, ratio, r.unit)
	}
	return w.Flush()
}

// number is three digits, or all that stand before the point.
func number(x float64) string {
	if x >= 100 || x <= -100 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}
