# A minimum that a job has never had keeps none of its pods: with it they are no more a gang than
# before. Eight pods of b run, of which none needs another. Their PodGroup's minimum is raised to a
# thousand, as any tenant may. They go one by one still, where a gang goes whole or not at all. Once
# the job has a minimum it keeps that, also while it lacks a member.

conf
  actions enqueue allocate backfill reclaim
node n1 cpu=8
queue a b

submit ml/elastic queue=b min=1 8 x cpu=1
cycle
----
bind ml/elastic-0..7 n1

edit ml/elastic min=1000
submit ml/first queue=a 1 x cpu=2
run
----
1s    evict ml/elastic-6..7 n1 for ml/first-0
1s    nominate ml/first-0 n1
2s    bind ml/first-0 n1
wait ml/elastic: NotEnoughTasks 6 of 1000

edit ml/elastic min=6
cycle
----
nothing

edit ml/elastic min=1000
submit ml/second queue=a 1 x cpu=1
run
----
1m4s  evict ml/elastic-0..5 n1 for ml/second-0
1m4s  nominate ml/second-0 n1
1m5s  bind ml/second-0 n1
wait ml/elastic: NoPods
