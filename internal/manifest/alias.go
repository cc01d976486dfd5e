package manifest

import "go.yaml.in/yaml/v3"

// resolved follows aliases to a node; false when they lead nowhere.
func resolved(n *yaml.Node) (*yaml.Node, bool) {
	for range mostDeep {
		if n.Kind != yaml.AliasNode {
			return n, true
		}
		n = n.Alias
	}
	return nil, false
}

// pairs lists the keys and values of a mapping in turns, merged ones (<<) after its own
// and only where it has none; false when merges nest without end.
func pairs(n *yaml.Node, depth int) ([]*yaml.Node, bool) {
	merges := false
	for i := 0; i < len(n.Content); i += 2 {
		merges = merges || n.Content[i].Tag == "!!merge"
	}
	if !merges {
		return n.Content, true
	}
	if depth > 20 {
		return nil, false
	}
	var own, more []*yaml.Node
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Tag != "!!merge" {
			own = append(own, n.Content[i], n.Content[i+1])
			continue
		}
		from, ok := resolved(n.Content[i+1])
		if !ok {
			return nil, false
		}
		list := []*yaml.Node{from}
		if from.Kind == yaml.SequenceNode {
			list = from.Content
		}
		for _, m := range list {
			if m, ok = resolved(m); !ok || m.Kind != yaml.MappingNode {
				continue
			}
			merged, ok := pairs(m, depth+1)
			if !ok {
				return nil, false
			}
			more = append(more, merged...)
		}
	}
	has := map[string]bool{}
	for i := 0; i < len(own); i += 2 {
		has[own[i].Value] = true
	}
	for i := 0; i < len(more); i += 2 {
		if !has[more[i].Value] {
			has[more[i].Value] = true
			own = append(own, more[i], more[i+1])
		}
	}
	return own, true
}
