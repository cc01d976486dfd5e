package player

import (
	"fmt"
	"net/http"

	"ashlar.sh/internal/explain"
	"ashlar.sh/sched"
)

// deviceAt is one device of a pool.
type deviceAt struct {
	pool  *sched.DevicePool
	index int
}

func (d deviceAt) key() string {
	return fmt.Sprintf("%s\x00%s\x00%s\x00%d", d.pool.Driver, d.pool.Name, d.pool.Node, d.index)
}

// devices answers with a page of the devices that pass.
func devices(w http.ResponseWriter, r *http.Request, f *frame) {
	var all []deviceAt
	for _, p := range f.devices {
		for i := range p.Devices {
			all = append(all, deviceAt{p, i})
		}
	}
	asked := r.URL.Query()
	page(w, r, f, "DeviceList", paged[explain.DeviceRow]{len: len(all),
		key: func(i int) string { return all[i].key() },
		after: func(key string) int {
			for i := range all {
				if all[i].key() == key {
					return i + 1
				}
			}
			return 0
		},
		pass: func(i int) bool {
			for name, passes := range explain.DeviceFilters { // order-free: all of them have to pass
				if v := asked.Get(name); v != "" && !passes(all[i].pool, all[i].index, v) {
					return false
				}
			}
			return true
		},
		row: func(i int) *explain.DeviceRow {
			row := explain.DeviceRowOf(all[i].pool, all[i].index)
			return &row
		}})
}
