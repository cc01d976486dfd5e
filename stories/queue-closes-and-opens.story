# A closed queue admits no job, and what runs there runs on. Open again, it goes on
# where it stopped.

node n1 cpu=8
queue ml

submit ml/runs queue=ml 1 x cpu=1
cycle
----
bind ml/runs-0 n1

close ml
submit ml/waits queue=ml 1 x cpu=1
cycle
----
wait ml/waits: QueueNotOpen ml: Closed

jobs phase tasks
----
job       phase    tasks
ml/runs   Running  1 Running
ml/waits  Pending  1 Pending

open ml
cycle
----
bind ml/waits-0 n1
