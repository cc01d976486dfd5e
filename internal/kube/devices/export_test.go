package devices

// Dump is all that the book holds, as text.
func (d *Devices) Dump() map[string]string { return d.dump() }

// Limit divides what may be spent: of small worlds too many questions would be answered at once.
func (d *Devices) Limit(by int64) {
	l := usual
	for _, n := range []*int64{&l.question, &l.cycle, &l.least, &l.most, &l.explain, &l.free, &l.tenant, &l.tenantRate,
		&l.shape, &l.shapeRate} {
		*n = max(1, *n/by)
	}
	d.budget.limits = l
}

// Spent is what the last cycle has spent.
func (d *Devices) Spent() int64 { return d.budget.spent }

// Asked is on how many nodes the last cycle has looked at claims.
func (d *Devices) Asked() int64 { return d.budget.asked }

// MostOfCycle is what a cycle can spend at the most: what it may, and the last question whole.
var MostOfCycle = 2*usual.most + usual.question + 2*mostSelector
