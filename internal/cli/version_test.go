package cli

import (
	"runtime/debug"
	"testing"
)

// The report of a bug can say which commit runs, and whether its source was changed.
func TestTheRevisionIsTheCommitAndWhetherItWasChanged(t *testing.T) {
	for name, c := range map[string]struct {
		settings []debug.BuildSetting
		linked   string
		want     string
	}{
		"a clean tree": {settings: []debug.BuildSetting{{Key: "vcs.modified", Value: "false"},
			{Key: "vcs.revision", Value: "abc"}}, want: "abc"},
		"a changed tree": {settings: []debug.BuildSetting{{Key: "vcs.modified", Value: "true"},
			{Key: "vcs.revision", Value: "abc"}}, want: "abc-dirty"},
		"no tree":          {},
		"a linked release": {linked: "def", want: "def"},
	} {
		t.Run(name, func(t *testing.T) {
			was := revision
			defer func() { revision = was }()
			revision = c.linked
			if got := found(&debug.BuildInfo{Settings: c.settings}).Revision; got != c.want {
				t.Errorf("the revision is %q, want %q", got, c.want)
			}
		})
	}
}
