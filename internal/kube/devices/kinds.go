package devices

import (
	resourcev1 "k8s.io/api/resource/v1"

	"ashlar.sh/sched/model"
)

// The kinds of facts that Devices reads; their Content is a pointer to the typed object of
// resource.k8s.io/v1.
const (
	Claim model.Kind = "ResourceClaim"
	Slice model.Kind = "ResourceSlice"
	Class model.Kind = "DeviceClass"
)

// Reads implements ledger.FactReader.
func (d *Devices) Reads(k model.Kind) bool { return k == Claim || k == Slice || k == Class }

// Fact takes an object in, or out. Content that is not of its kind, or has another name
// than its fact, is as good as gone.
func (d *Devices) Fact(f model.Fact) {
	var content any
	if o, ok := f.Object.(*model.Opaque); ok {
		content = o.Content
	}
	switch f.Ref.Kind {
	case Claim:
		c, _ := content.(*resourcev1.ResourceClaim)
		if c != nil && (c.Namespace != f.Ref.Namespace || c.Name != f.Ref.Name) {
			c = nil
		}
		d.update(f.Ref.Namespace+"/"+f.Ref.Name, c)
	case Slice:
		s, _ := content.(*resourcev1.ResourceSlice)
		if s != nil && s.Name != f.Ref.Name {
			s = nil
		}
		if !d.inventory.put(f.Ref.Name, s) {
			return
		}
		d.reporter.slice(f.Ref.Name)
		d.stock++
	case Class:
		d.stock++
		c, _ := content.(*resourcev1.DeviceClass)
		if c != nil && c.Name != f.Ref.Name {
			c = nil
		}
		d.classes.put(f.Ref.Name, c)
		d.reporter.classes = true
		d.refused.still.touchAll()
	default:
		return
	}
	d.version++
}
