package web

import (
	"fmt"
	"testing"
)

// TestTheFocusStaysInAList: a person that moves in a list by keyboard is still in it when what is listed goes and comes
// back, when a filter that let nothing pass is cleared, and when the panel that was opened from it is closed.
func TestTheFocusStaysInAList(t *testing.T) {
	b := start(t)
	l := &live{page: `{"source": "cluster"}`, streams: make(chan func(*feed), 1), why: emptyAnswer}
	more := make(chan func(*feed))
	l.streams <- stays(t, func(f *feed) {
		f.tell("Queue", "ADDED", emptyQueue("q"))
		f.tell("Job", "ADDED", waitingJob("train"))
		f.mark()
		for tells := range more {
			tells(f)
			f.mark()
		}
	})
	p := l.opens(t, b)
	defer close(more)
	rows := func(n int) string {
		return fmt.Sprintf(`document.querySelectorAll(".rows .tall .row").length === %d`, n)
	}
	const inList = `document.activeElement.matches(".rows .scroll")`
	opens := func() {
		t.Helper()
		p.Key("ArrowDown")
		p.Until("the job", `document.querySelector(".drawer .name")?.innerText === "train"`)
		p.Key("Enter")
		p.Until("the focus in the panel", `document.activeElement.matches(".drawer")`)
		p.Key("Escape")
		p.Until("the focus in the list", `!document.querySelector(".drawer") && `+inList)
	}
	p.Goes("#/jobs?state=waiting")
	p.Until("the job that waits", rows(1))
	p.Eval(`document.querySelector(".rows .scroll").focus()`, nil)
	opens()
	for _, gone := range []func(*feed){
		func(f *feed) { f.tell("Job", "DELETED", waitingJob("train")) },
		func(f *feed) {
			runs := waitingJob("train")
			runs["tasks"], runs["phase"] = map[string]int{"Running": 2}, "Running"
			runs["reason"] = map[string]string{"code": "", "message": ""}
			f.tell("Job", "MODIFIED", runs)
		},
	} {
		more <- gone
		p.Until("nothing in the list, and the focus", rows(0)+` && document.querySelector(".rows .empty") && `+inList)
		p.Key("ArrowDown", "Enter")
		more <- func(f *feed) { f.tell("Job", "ADDED", waitingJob("train")) }
		p.Until("the job again, and the focus", rows(1)+" && "+inList)
		opens()
	}
	p.Goes("#/jobs?q=nothing-is-called-so")
	p.Until("that none matches", `document.querySelector(".rows .empty button")`)
	p.Eval(`((e) => { e.focus(); e.click(); })(document.querySelector(".rows .empty button"))`, nil)
	p.Until("the job again, and the focus", rows(1)+" && "+inList)
	p.Sound()
}
