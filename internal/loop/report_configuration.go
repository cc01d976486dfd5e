package loop

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"ashlar.sh/internal/config/profile"
	"ashlar.sh/internal/kube/execute"
	"ashlar.sh/sched/policy"
)

// ConfigurationAccepted is the condition of this scheduler's own pod that says whether the configuration's file holds.
// It is written when the scheduler begins to act and when that changes.
const ConfigurationAccepted corev1.PodConditionType = "ashlar.sh/ConfigurationAccepted"

// Reasons of that condition, and of the events about the pod that go with it.
const (
	configurationHolds   = "ConfigurationHolds"
	configurationRefused = "ConfigurationRefused"
)

// configurationRefusedBy notes that the file's content was not taken, and why: in the log, the metrics and on the pod.
func (l *loop) configurationRefusedBy(err error) {
	l.input.recorder.incident("configuration")
	klog.ErrorS(err, "The new configuration cannot be used: the old one stays", "file", l.conf.path)
	l.metrics.reloaded(false)
	l.health.refused(err)
	l.reportConfiguration(true, err.Error()+"\nThe configuration from before holds.")
}

// configurationChanged notes that another configuration holds, and what it changes.
func (l *loop) configurationChanged(before policy.Profile) {
	changes := profile.Changes(before, profile.Local(l.conf.profile, l.conf.offset))
	if len(changes) == 0 {
		changes = []string{"nothing that is decided changes"}
	}
	klog.InfoS("A new configuration holds", "file", l.conf.path, "changes", changes)
	if !l.conf.fileHolds() {
		return // only the distance from UTC changed: the file is refused as before
	}
	l.metrics.reloaded(true)
	l.health.configured(l.conf)
	l.reportConfiguration(false, strings.Join(changes, "\n"))
}

// showConfigurationAtStart says on this scheduler's own pod whether the file holds with which it began: the condition
// may be one of the container before.
func (l *loop) showConfigurationAtStart() {
	if err := l.conf.refused; err != nil {
		l.reportConfiguration(true, err.Error()+"\nVolcano's default holds.")
		return
	}
	l.showConfiguration(configurationHolds, "the file holds as it is")
}

// reportConfiguration says on this scheduler's own pod what became of a new content.
func (l *loop) reportConfiguration(refused bool, message string) {
	reason := configurationHolds
	if refused {
		reason = configurationRefused
	}
	if own := l.showConfiguration(reason, message); own.known() {
		l.executor.Event(execute.Event{Kind: "Pod", Object: own.pod, UID: own.uid, Warning: refused, Reason: reason,
			Message: message})
	}
}

// showConfiguration writes the condition of this scheduler's own pod, which it returns.
func (l *loop) showConfiguration(reason, message string) self {
	own := ownPod(l.rivals.token)
	if !own.known() {
		return own
	}
	c := corev1.PodCondition{Type: ConfigurationAccepted, Status: corev1.ConditionTrue, Reason: reason,
		Message: message, LastTransitionTime: metav1.Now()}
	if reason == configurationRefused {
		c.Status = corev1.ConditionFalse
	}
	l.executor.OwnCondition(own.pod, own.uid, c)
	return own
}
