// Package policy is what can be configured in the engine: extension points, tiers, and the profile that fills them.
//
// An extension point is an interface of one question. A plugin is any value that implements some of these interfaces;
// which ones is found once, when a profile is read (Build). Plugins are called tier by tier in the configured order.
// The rule by which their answers combine is a method of Set, one for each point; it names its rule from the catalogue
// of rules A to J (docs/plugins.md).
//
// A whole plugin, to copy, is ExampleDefine in example_test.go; "Add a plugin" in CONTRIBUTING.md has the steps.
//
// Most answers are orders, scores, counts, reasons or yes and no. Three kinds have a type: a Vote permits, abstains or
// rejects; an Opinion does so about a victim, with a reason; a Verdict on a node admits, or refuses with the reason and
// whether room freed there would help.
//
// A plugin keeps configuration and opinions. Sums that depend on which pod is on which node belong into a
// ledger.PluginState. What a plugin derives from the ledger it derives in Open, and it stays unchanged until the next
// cycle unless its doc says otherwise.
//
// Reports and questions call plugins between two cycles and before the first, at every point. Rows that came after the
// last Open, and rows that stand for another object than then, are among what they ask about.
package policy
