# What the last two runs of a user's template took is a guess for those that do not say how long they run. One that is
# overrun is extended by itself, up to the limit; what the author says comes first; other users' runs do not count.

node n1 cpu=4
queue ml

submit ml/first  queue=ml 1 x cpu=1 takes=10m template=train label=ashlar.sh/user:ann
submit ml/second queue=ml 1 x cpu=1 takes=20m template=train label=ashlar.sh/user:ann
submit ml/third   queue=ml 1 x cpu=1 at=21m takes=50m template=train label=ashlar.sh/user:ann
submit ml/limited queue=ml 1 x cpu=1 at=21m takes=50m limit=25m template=train label=ashlar.sh/user:ann
submit ml/says    queue=ml 1 x cpu=1 at=21m takes=50m guess=5m template=train label=ashlar.sh/user:ann
submit ml/bobs    queue=ml 1 x cpu=1 at=21m takes=50m template=train label=ashlar.sh/user:bob
submit ml/x 1 x nothing at=25m
submit ml/y 1 x nothing at=40m
run until=25m
----
0s    bind ml/first-0 n1
0s    bind ml/second-0 n1
21m   bind ml/bobs-0 n1
21m   bind ml/limited-0 n1
21m   bind ml/says-0 n1
21m   bind ml/third-0 n1
25m   bind ml/x-0 n1

jobs runtime
----
job         runtime
ml/bobs     unknown
ml/first    unknown
ml/limited  15m predicted, limit 25m
ml/says     5m declared
ml/second   unknown
ml/third    15m predicted
ml/x        unknown

run until=40m
----
40m   bind ml/y-0 n1

jobs runtime
----
job         runtime
ml/bobs     unknown
ml/first    unknown
ml/limited  25m enforced
ml/says     20m declared
ml/second   unknown
ml/third    30m predicted
ml/x        unknown
ml/y        unknown
