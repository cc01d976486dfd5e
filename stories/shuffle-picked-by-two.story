# A pod that two plugins pick is one pod. tdm picks pair-0, since the hours of its node are over, and rescheduling picks
# it, since its node is crowded; pair-1 is picked by none. So pair is not picked as a whole, and keeps both.

conf
  actions enqueue allocate backfill shuffle
  tier    priority gang tdm(tdm.revocable-zone.rz=01:00-02:00) rescheduling(interval=1m,strategies=[{"name":"lowNodeUtilization","params":{"thresholds":{"cpu":40},"targetThresholds":{"cpu":60}}}])
  tier    predicates nodeorder
node lent cpu=10 label=volcano.sh/revocable-zone:rz
node own-1 own-2 cpu=10

submit ml/kept 1 x cpu=4 on=lent kept
submit ml/pair min=2 1 x cpu=4 on=lent owned 1 x cpu=5 on=own-1 owned
run until=2m
----
nothing

pods node status
----
pod        node   status
ml/kept-0  lent   Running
ml/pair-0  lent   Running
ml/pair-1  own-1  Running
