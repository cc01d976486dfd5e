# Ashlar's commands. `make` alone lists them.

.DEFAULT_GOAL := help

GO       ?= go
TIMEOUT  ?= 30m
# Of make fuzz: for how long each fuzz target runs, on all processors. In make soak they have FUZZHOURS of one processor
# together, unless FUZZTIME is given.
FUZZTIME ?= 10s
FUZZHOURS ?= 24
BENCH    ?= .
BENCHTIME ?= 0.5s
# Of make image: what the program calls itself, and for which machines it is.
VERSION   ?= dev
PLATFORMS ?= linux/$(shell $(GO) env GOARCH)
# Of make test, check and race: where random cases begin. They are the same each time, so that what fails is what was
# changed; SEED=0 draws others, as make soak always does.
SEED ?= 1
# Of make soak: the cases of each property test, and the clusters that are asked what would make jobs run.
CASES    ?= 5000
WAYS     ?= 10000
# How many worlds of simulated time, requests to the model of the API server, and clusters beside kube-scheduler.
WORLDS   ?= 500
REQUESTS ?= 100000
CLUSTERS ?= 10000
# For how long a real cluster is disturbed.
SOAK     ?= 5m
# The long tests begin their random cases at a number of the minute, so that each run draws others: 26113018300001.
NEW      := $(shell date +%y%m%d%H%M)0001

# Builds the real API server, etcd and kwok that test/e2e needs, where they are not built yet.
CONTROL_PLANE := $(or $(wildcard test/controlplane/build.sh),$(GO) -C test/controlplane run .)
# Those that need no control plane, no browser, no simulated time and no image.
UNIT = $$($(GO) list ./... | grep -vE '/(test/(e2e|web|world$$)|deploy/image$$)')
# The packages with property tests: only they know the flag -rapid.checks.
LAWS = $$($(GO) list -f '{{range .TestImports}}{{println $$.ImportPath .}}{{end}}{{range .XTestImports}}{{println $$.ImportPath .}}{{end}}' ./... \
	| awk '$$2 == "pgregory.net/rapid" {print $$1}' | sort -u)

.PHONY: help run demo page page-check cluster build image test test-e2e test-rest soak laws worlds model kube-scheduler soak-cluster race check lint vulnerabilities vet bench bench-e2e stories update manifests fuzz clean

help: ## List the commands
	@awk 'BEGIN {FS = ":.*## "} /^[a-z0-9-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# The tag leaves Kubernetes' clients out, which take minutes to build the first time.
run: ## Simulate examples/quickstart: which jobs run where, which wait and why
	$(GO) run -tags simulator ./cmd/ashlar simulate -f examples/quickstart

demo: ## Show a real trace on a simulated cluster in the browser, at 1 000 times its speed
	$(GO) run -tags simulator ./cmd/ashlar web examples/demo/cluster.yaml \
		--trace-nodes examples/demo/nodes.csv --trace-jobs examples/demo/jobs.csv --from 391h20m

# The page is committed as it is built, so that all else needs Go alone. This needs node and npm.
page: ## Build the page of ashlar web anew, after a change in internal/web/page
	cd internal/web/page && npm ci --ignore-scripts && npm run build

page-check: ## Check, where there are node and npm, that building the page gives what is committed
	@if ! command -v node >/dev/null || ! command -v npm >/dev/null; then \
		echo "skipped: there is no node or npm to build the page with; go test compares the hash of its sources"; \
	elif ! (cd internal/web/page && npm ci --ignore-scripts --prefer-offline >/dev/null); then \
		echo "skipped: npm cannot get what the page is built with; go test compares the hash of its sources"; \
	else \
		(cd internal/web/page && npm run build) && git diff --exit-code --stat internal/web/dist; \
	fi

cluster: ## Run a real control plane with ashlar in it, to try with kubectl; Ctrl-C ends it
	$(CONTROL_PLANE)
	$(GO) run ./cmd/ashlar cluster

build: ## Build bin/ashlar, with the links by which it is also a kubectl plugin and vc-scheduler
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/ashlar ./cmd/ashlar
	ln -sf ashlar bin/kubectl-ashlar
	ln -sf ashlar bin/vc-scheduler

image: ## Build the image into bin/image without Docker; VERSION, PLATFORMS=linux/amd64,linux/arm64
	$(GO) run ./deploy/image -o bin/image -version $(VERSION) -platforms $(PLATFORMS)

test check race: export RAPID_SEED = $(SEED)
ifneq ($(SEED),0)
test: export ASHLAR_E2E_SOAK_SEED = $(SEED)
test: export ASHLAR_MODEL_SEED = $(SEED)
endif

test: lint ## Run every test, those against a real control plane included
	$(CONTROL_PLANE)
	$(CONTROL_PLANE) volcano
	$(MAKE) --no-print-directory -j2 test-e2e test-rest

# test/e2e waits most of the time, for as long as all others take: it runs beside them.
test-e2e:
	$(GO) test -timeout $(TIMEOUT) ./test/e2e

test-rest:
	$(GO) test -timeout $(TIMEOUT) $$($(GO) list ./... | grep -v '/test/e2e$$')
	$(GO) -C test/deploy test -timeout $(TIMEOUT) ./...
	$(GO) -C test/kubescheduler test -timeout $(TIMEOUT) ./...

FUZZES = grep -roE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' .
soak: FUZZTIME = $(shell echo $$(( $(FUZZHOURS) * 3600 / $$($(FUZZES) | wc -l) / $$(getconf _NPROCESSORS_ONLN) )))s
soak: laws worlds model kube-scheduler soak-cluster fuzz ## Run the long tests: all that follow up to fuzz

laws: ## Try CASES (5000) cases of each law, and ask WAYS (10000) clusters what would make jobs run
	$(GO) test -timeout 0 $(LAWS) -rapid.checks=$(CASES)
	ASHLAR_WHATIF_CASES=$(WAYS) $(GO) test -timeout 0 -count=1 -v -run '^TestWhatWouldMakeAJobRunMakesItRun$$' ./sched

worlds: ## Run WORLDS (500) worlds in simulated time, those that failed once, and nine broken schedulers
	ASHLAR_WORLD_SEED=$${ASHLAR_WORLD_SEED:-$(NEW)} ASHLAR_WORLD_SEEDS=$(WORLDS) \
		$(GO) test -timeout 0 -count=1 -v -run '^TestWorlds$$' ./test/world
	ASHLAR_WORLD_EVER=whole $(GO) test -timeout 0 -count=1 -run '^TestWorldsThatFailedOnce$$' ./test/world
	ASHLAR_WORLD_MUTATIONS=run $(GO) test -timeout 0 -count=1 -v -run '^TestMutationsAreFound$$' ./test/world

model: ## Send the model of the API server and a real one the same REQUESTS (100000), twice
	$(CONTROL_PLANE)
	ASHLAR_MODEL_REQUESTS=$(REQUESTS) $(GO) test -timeout 0 -count=1 -v -run '^TestTheModel' ./test/e2e/model

kube-scheduler: ## Compare filters and scores with kube-scheduler's own on CLUSTERS (10000) random clusters
	ASHLAR_CLUSTER_SEED=$${ASHLAR_CLUSTER_SEED:-$(NEW)} ASHLAR_CLUSTERS=$(CLUSTERS) \
		$(GO) -C test/kubescheduler test -timeout 0 -count=1 -v -run '^TestRandomClusters$$' .

soak-cluster: ## Disturb a real cluster for SOAK (5m)
	$(CONTROL_PLANE)
	$(CONTROL_PLANE) volcano
	ASHLAR_E2E_SOAK=$(SOAK) $(GO) test -timeout 0 -count=1 -v -run '^TestSoak$$' ./test/e2e

fuzz: ## Fuzz each target for FUZZTIME (10s)
	@$(FUZZES) | while IFS=: read -r file func; do \
		$(GO) test -run '^$$' -fuzz "^$${func#func }$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 2s "$$(dirname "$$file")" </dev/null || exit 1; \
	done

# The race detector needs cgo, and cgo needs a C compiler.
race: ## Run the tests of internal/ under the race detector, where there is a C compiler
	@cc="$$($(GO) env CC)"; \
	if [ "$$($(GO) env CGO_ENABLED)" != 1 ]; then \
		echo "skipped: the race detector needs cgo, and go env CGO_ENABLED is not 1 (it is 0 where there is no C compiler)"; \
	elif ! command -v "$${cc%% *}" >/dev/null; then \
		echo "skipped: the race detector needs a C compiler, and there is no $${cc%% *}"; \
	else \
		echo $(GO) test -race -timeout $(TIMEOUT) ./internal/...; \
		$(GO) test -race -timeout $(TIMEOUT) ./internal/...; \
	fi

check: vet page-check ## Run what a change should pass before it is sent: vet, gofmt, the laws, unit tests
	$(GO) test -timeout $(TIMEOUT) ./internal/archtest
	$(GO) test -timeout $(TIMEOUT) $(UNIT)

# What analyses programs is pinned in tools/go.mod, and built by Go: nothing has to be installed.
lint: vet vulnerabilities ## Run golangci-lint (.golangci.yml says which linters), beside make vet and vulnerabilities
	$(GO) tool -modfile=tools/go.mod golangci-lint run ./...

vulnerabilities: ## Fail where the program has known vulnerabilities; DB=https://vuln.go.dev: as of today, NEWGO=1: Go's too
	$(GO) build -o bin/vulnerabilities/ashlar ./cmd/ashlar
	$(GO) run ./deploy/vulnerabilities $(if $(DB),-db $(DB)) $(if $(NEWGO),-go) bin/vulnerabilities/ashlar

vet: ## Run go vet, for the simulator alone too, and list what gofmt would change
	$(GO) vet ./...
	$(GO) vet -tags simulator ./cmd/ashlar ./internal/cli
	@bad="$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go') </dev/null)"; \
	[ -z "$$bad" ] || { echo "not formatted (run gofmt -w on them):"; echo "$$bad"; exit 1; }

bench: ## Measure the engine, beside the recorded run; BENCH=pattern, HEAVY=1, RECORD=1 to record
	$(GO) test -timeout 60m -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) -benchmem ./bench $(if $(HEAVY),-heavy) \
		| $(GO) run ./bench/table -recorded bench/recorded.txt $(if $(RECORD),-record)

bench-e2e: ## Measure the live scheduler on a real API server against a client that only binds; some 20 minutes
	$(CONTROL_PLANE)
	$(GO) build -o bin/bench-e2e ./bench/e2e
	./bin/bench-e2e -only rate,create,latency,cold

stories: ## Run the stories, the specification as scenarios
	$(GO) test -timeout $(TIMEOUT) ./internal/story/...

update: ## Write the stories' answers anew; read the difference before you commit it
	$(GO) test -timeout $(TIMEOUT) ./internal/story/... -update

manifests: ## Write the manifests of deploy/ anew, from the chart and the types of volcano.sh/apis
	$(GO) -C test/deploy run .

clean: ## Remove what build made
	rm -rf bin
