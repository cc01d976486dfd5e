package story

// problems lists what is wrong with the objects that are there, as the report does.
var problemsVerb = verb{syntax: "problems", ask: problems}

func problems(s *stage, w *words) ([]string, error) {
	r, err := s.report()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, p := range r.Problems {
		out = append(out, p.Object+": "+p.Message)
	}
	return out, w.end()
}
