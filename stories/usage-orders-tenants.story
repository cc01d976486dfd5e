# Who used much lately yields to who used little: plugin fairshare orders the jobs of a queue by what
# their namespaces hold and have used.
#
# alice had the node for eight hours. Then both namespaces wait with one job, and that of alice came
# first. bob goes first. After bob had the node for eight hours as well, alice's use is half forgotten: of the two that
# wait then alice is first.

conf
  actions enqueue allocate
  tier    priority gang
  tier    fairshare(fairshare.halfLifeMinutes=480) drf predicates proportion nodeorder
node n1 cpu=4
queue ml

submit alice/long queue=ml 1 x cpu=4 for=8h
submit alice/next queue=ml at=1h 1 x cpu=4 for=8h
submit bob/first queue=ml at=2h 1 x cpu=4 for=8h
submit bob/second queue=ml at=3h 1 x cpu=4 for=8h
run
----
0s    bind alice/long-0 n1
8h0m1s bind bob/first-0 n1
16h0m2s bind alice/next-0 n1
24h0m3s bind bob/second-0 n1
