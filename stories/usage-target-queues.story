# fairshare.targetQueues names the queues of which fairshare orders the jobs. alice and carol had a node each for eight
# hours. In ml bob then goes before alice; in dev, which is not named, carol goes before dan, whose job came later.

conf
  actions enqueue allocate
  tier    priority gang
  tier    fairshare(fairshare.targetQueues=ml) predicates proportion nodeorder
node n1 n2 cpu=4
queue ml dev

submit alice/long queue=ml 1 x cpu=4 for=8h
submit carol/long queue=dev 1 x cpu=4 for=8h
submit alice/next queue=ml at=1h 1 x cpu=4 for=8h
submit carol/next queue=dev at=1h 1 x cpu=4 for=8h
submit bob/first queue=ml at=2h 1 x cpu=4 for=8h
submit dan/first queue=dev at=2h 1 x cpu=4 for=8h
run
----
0s    bind alice/long-0 n1
0s    bind carol/long-0 n2
8h0m1s bind bob/first-0 n1
8h0m1s bind carol/next-0 n2
16h0m2s bind alice/next-0 n1
16h0m2s bind dan/first-0 n2
