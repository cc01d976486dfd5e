# Why no pod leaves is said of every pod once: by the marks, the budgets and the gangs that
# spare them, whichever tier they stand in (seed 002 §8.4; decision 11).

conf
  actions enqueue allocate backfill gangpreempt(allowWholeBundle=false)
  tier    priority gang
  tier    predicates nodeorder pdb conformance
class low 1
class high 100
node n1 cpu=6

submit ml/kept priority=low 1 x cpu=1 kept
submit kube-system/dns priority=low min=0 1 x cpu=1
submit ml/web priority=low min=0 1 x cpu=1 label=app:web
submit ml/gang priority=low 2 x cpu=1
submit ml/peer priority=high min=0 1 x cpu=1
budget ml/web selects=app:web min=1
cycle
----
bind ml/peer-0 n1
bind ml/gang-0..1 n1
bind ml/kept-0 n1
bind kube-system/dns-0 n1
bind ml/web-0 n1

submit ml/new priority=high 1 x cpu=2
cycle 2
----
wait ml/new: NotEnoughResources: cpu 2 asked, 0 free on n1; gangpreempt NoVictims: 2 VictimGang, 1 VictimBudget, 1 VictimCritical, 1 VictimKept, 1 VictimNotLower

why ml/new
----
NotEnoughResources: cpu 2 asked, 0 free on n1
  InsufficientResource cpu on n1
gangpreempt NoVictims: 2 VictimGang, 1 VictimBudget, 1 VictimCritical, 1 VictimKept, 1 VictimNotLower
  VictimGang of 2 pods
  VictimBudget ml/web of ml/web-0
  VictimCritical of kube-system/dns-0
  VictimKept of ml/kept-0
  VictimNotLower of ml/peer-0
