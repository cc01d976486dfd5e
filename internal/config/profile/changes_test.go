package profile_test

import (
	"slices"
	"testing"

	"ashlar.sh/internal/config/profile"
)

const second = "- plugins:\n  - name: drf\n  - name: proportion\n"

// What a new configuration changes is said by the keys that its author wrote.
func TestChangesNameWhatTheAuthorWrote(t *testing.T) {
	const tiers = "tiers:\n- plugins:\n  - name: gang\n  - name: priority\n" + second
	const plain = "actions: \"enqueue, allocate\"\n" + tiers
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a comment": {"# ours\n" + plain, nil},
		"actions": {"actions: \"enqueue, allocate, backfill\"\n" + tiers, []string{
			`actions: "enqueue, allocate, backfill", were "enqueue, allocate"`}},
		"a plugin more and one less": {
			"actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n  - name: priority\n  - name: sla\n" +
				"    arguments: {sla-waiting-time: 1h}\n- plugins:\n  - name: proportion\n", []string{
				"plugin drf: removed", "plugin sla: new, in tier 1",
				"plugin sla: sla-waiting-time: 1h0m0s, was its default"}},
		"a flag": {plain + "    enableReclaimable: false\n", []string{
			"plugin proportion: enableReclaimable: false, was true"}},
		"hierarchy": {plain + "    enableHierarchy: true\n", []string{"plugin proportion: enableHierarchy: true, was false"}},
		"another tier": {"actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: gang\n- plugins:\n" +
			"  - name: priority\n  - name: drf\n  - name: proportion\n", []string{"plugin priority: in tier 2, was in 1"}},
		"another order": {"actions: \"enqueue, allocate\"\ntiers:\n- plugins:\n  - name: priority\n  - name: gang\n" +
			second, []string{"plugins: in another order within their tiers"}},
		"an action's argument": {plain + "configurations:\n- name: allocate\n" +
			"  arguments: {predicateErrorCacheEnable: false}\n", []string{
			"action allocate: predicateErrorCacheEnable: false, was its default"}},
	} {
		t.Run(name, func(t *testing.T) {
			before, after := read(t, plain), read(t, c.text)
			if got := profile.Changes(profile.Of(before), profile.Of(after)); !slices.Equal(got, c.want) {
				t.Errorf("it says %q\nwant    %q", got, c.want)
			}
		})
	}
}
