package match

import "ashlar.sh/sched/model"

// Tolerated says that one of the tolerations lets a pod onto a node with this taint.
func Tolerated(tolerations []model.Toleration, t model.Taint) bool {
	for i := range tolerations {
		if tolerates(&tolerations[i], t) {
			return true
		}
	}
	return false
}

func tolerates(o *model.Toleration, t model.Taint) bool {
	switch {
	case o.Effect != "" && o.Effect != t.Effect:
		return false
	case o.Key != "" && o.Key != t.Key:
		return false
	default:
		return o.Exists || o.Value == t.Value
	}
}
