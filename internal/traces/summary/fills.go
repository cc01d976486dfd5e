package summary

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"sigs.k8s.io/yaml"
)

// Fills is how a cluster was filled several times, each in another order: the document
// that `ashlar simulate --trace-fill` prints for more than one seed.
type Fills struct {
	APIVersion string       `json:"apiVersion"`
	Kind       string       `json:"kind"`
	Loads      []LoadSpread `json:"loads"`
	Runs       []FillRun    `json:"runs"`
}

// FillRun is one order.
type FillRun struct {
	Seed  uint64 `json:"seed"`
	Loads []Load `json:"loads"`
}

// LoadSpread is how the runs stood when requests reached a mark.
type LoadSpread struct {
	Requested  Share `json:"requested"`
	Allocated  Range `json:"allocated"`
	Fragmented Range `json:"fragmented"`
}

// Range is a share over several runs.
type Range struct {
	Mean Share `json:"mean"`
	Min  Share `json:"min"`
	Max  Share `json:"max"`
}

// NewFills sums runs up. They reached the same marks, since all are filled as far.
func NewFills(runs []FillRun) *Fills {
	f := &Fills{APIVersion: "ashlar.sh/v1alpha1", Kind: "TraceFillReport", Runs: runs, Loads: []LoadSpread{}}
	for i := range runs[0].Loads {
		at := func(of func(Load) Share) Range {
			r := Range{Min: of(runs[0].Loads[i]), Max: of(runs[0].Loads[i])}
			sum := Share(0)
			for _, run := range runs {
				x := of(run.Loads[i])
				sum, r.Min, r.Max = sum+x, min(r.Min, x), max(r.Max, x)
			}
			r.Mean = sum / Share(len(runs))
			return r
		}
		f.Loads = append(f.Loads, LoadSpread{Requested: runs[0].Loads[i].Requested,
			Allocated: at(func(l Load) Share {
				return l.Allocated
			}), Fragmented: at(func(l Load) Share { return l.Fragmented })})
	}
	return f
}

// JSON writes the runs as one document.
func (f *Fills) JSON(w io.Writer) error {
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// YAML writes the same document as YAML.
func (f *Fills) YAML(w io.Writer) error {
	text, err := yaml.Marshal(f)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// CSV writes one figure a line, as Figures.CSV does: scope "load" for what the runs came
// to together, with the mark in percent as its name; scope "seed" for each of them.
func (f *Fills) CSV(w io.Writer) error {
	c := csv.NewWriter(w)
	put := func(cells ...string) { _ = c.Write(cells) } // it keeps the error, for Error
	put("scope", "name", "figure", "value")
	for _, l := range f.Loads {
		for _, x := range []struct {
			name string
			Range
		}{{"allocated", l.Allocated}, {"fragmented", l.Fragmented}} {
			put("load", mark(l.Requested), x.name+"_mean", x.Mean.String())
			put("load", mark(l.Requested), x.name+"_min", x.Min.String())
			put("load", mark(l.Requested), x.name+"_max", x.Max.String())
		}
	}
	for _, r := range f.Runs {
		seed := strconv.FormatUint(r.Seed, 10)
		for _, l := range r.Loads {
			put("seed", seed, "allocated_at_"+mark(l.Requested), l.Allocated.String())
			put("seed", seed, "fragmented_at_"+mark(l.Requested), l.Fragmented.String())
		}
	}
	c.Flush()
	return c.Error()
}

// Text writes the table that papers have.
func (f *Fills) Text(w io.Writer) error {
	var b strings.Builder
	var seeds []string
	for _, r := range f.Runs {
		seeds = append(seeds, strconv.FormatUint(r.Seed, 10))
	}
	fmt.Fprintf(&b, "as the cluster fills, in %% of its GPUs, over %d runs (seeds %s)\n", len(f.Runs),
		strings.Join(seeds, ", "))
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "requested\tallocated: mean\tmin\tmax\tfragmented: mean\tmin\tmax\t\n")
	for _, l := range f.Loads {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", hundredths(l.Requested), hundredths(l.Allocated.Mean),
			hundredths(l.Allocated.Min), hundredths(l.Allocated.Max),
			hundredths(l.Fragmented.Mean), hundredths(l.Fragmented.Min), hundredths(l.Fragmented.Max))
	}
	t.Flush()
	_, err := io.WriteString(w, b.String())
	return err
}
