package expr

import (
	"fmt"
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	corev1 "k8s.io/api/core/v1"
	cloudproviderapi "k8s.io/cloud-provider/api"

	"github.com/simcloud-dev/simcloud/scenarios/observe"
	"github.com/simcloud-dev/simcloud/scenarios/words"
	"github.com/simcloud-dev/simcloud/simcloud"
	"github.com/simcloud-dev/simcloud/simcloud/spelling"
)

// impossible are the comparisons with texts that a field never has, such as a state that no instance can be in: nothing fails
// where such an expression is evaluated, and it has one value for ever.
func impossible(checked *cel.Ast) []*common.Error {
	f := finder{tree: checked.NativeRep()}
	ast.PostOrderVisit(f.tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.CallKind {
			f.call(e.AsCall())
		}
	}))
	return f.found
}

// finder collects mistakes of an expression whose types fit.
type finder struct {
	tree  *ast.AST
	found []*common.Error
}

func (f *finder) call(c ast.CallExpr) {
	args := c.Args()
	switch c.FunctionName() {
	case operators.Equals, operators.NotEquals:
		f.compare(args[0], args[1])
		f.compare(args[1], args[0])
	case operators.In:
		if args[1].Kind() == ast.ListKind {
			for _, element := range args[1].AsList().Elements() {
				f.compare(args[0], element)
			}
		}
	case "simcloud_shownID", "simcloud_cloudID":
		f.oneOf(args[1], resourceKinds(), "no resource has the kind %q%s")
	case "addresses":
		f.oneOf(args[1], addressTypes, "an address of a Node is never of the type %q%s")
	case "tainted":
		f.nearly(args[1], wellKnownTaints, "no taint that Kubernetes or its cloud provider knows has the key %q%s")
	case "label":
		f.nearly(args[1], wellKnownLabels, "no label that Kubernetes knows has the key %q%s")
	}
}

// resourceKinds are the kinds of the cloud's resources, as the journal names them.
func resourceKinds() []string {
	kinds := []string{string(simcloud.KindInstanceType)}
	for _, kind := range observe.Kinds {
		kinds = append(kinds, string(kind.Kind))
	}
	return kinds
}

// Keys of taints and labels that scenarios name: any other one can be right too, unless it is nearly one of these.
var (
	wellKnownTaints = []string{
		cloudproviderapi.TaintExternalCloudProvider, cloudproviderapi.TaintNodeShutdown, corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable,
		corev1.TaintNodeUnschedulable, corev1.TaintNodeMemoryPressure, corev1.TaintNodeDiskPressure, corev1.TaintNodeNetworkUnavailable,
		corev1.TaintNodePIDPressure, corev1.TaintNodeOutOfService,
	}
	wellKnownLabels = []string{
		corev1.LabelHostname, corev1.LabelTopologyZone, corev1.LabelTopologyRegion, corev1.LabelInstanceTypeStable, corev1.LabelArchStable, corev1.LabelOSStable,
		corev1.LabelFailureDomainBetaZone, corev1.LabelFailureDomainBetaRegion, corev1.LabelInstanceType, corev1.LabelNodeExcludeBalancers,
		corev1.LabelWindowsBuild, corev1.LabelMetadataName, corev1.IsHeadlessService,
	}
	wellKnownAnnotations = []string{
		cloudproviderapi.AnnotationAlphaProvidedIPAddr, corev1.AnnotationLoadBalancerSourceRangesKey, corev1.AnnotationTopologyMode,
		corev1.ObjectTTLAnnotationKey, corev1.PodDeletionCost, corev1.MirrorPodAnnotationKey, corev1.LastAppliedConfigAnnotation,
	}
)

// WellKnown are the keys of a kind that Kubernetes or its cloud provider define, and that scenarios name.
func WellKnown(kind observe.KeyKind) []string {
	return map[observe.KeyKind][]string{
		observe.TaintKey: wellKnownTaints, observe.LabelKey: wellKnownLabels, observe.AnnotationKey: wellKnownAnnotations,
	}[kind]
}

// mostTypos is how many letters a key may differ in from a well-known one for which it is taken.
const mostTypos = 2

// nearly notes a text that differs in a few letters from a well-known one: under a "!" it is true for ever.
func (f *finder) nearly(e ast.Expr, wellKnown []string, message string) {
	if e.Kind() != ast.LiteralKind {
		return
	}
	text, isText := e.AsLiteral().Value().(string)
	if !isText || slices.Contains(wellKnown, text) {
		return
	}
	for _, key := range wellKnown {
		if spelling.Distance(text, key) <= mostTypos {
			f.oneOf(e, []string{key}, message)
			return
		}
	}
}

// addressTypes are those that Kubernetes has for addresses of Nodes.
var addressTypes = []string{
	string(corev1.NodeHostName), string(corev1.NodeInternalIP), string(corev1.NodeExternalIP), string(corev1.NodeInternalDNS), string(corev1.NodeExternalDNS),
}

// compare looks at a field that is compared with a text.
func (f *finder) compare(field, text ast.Expr) {
	if field.Kind() != ast.SelectKind {
		return
	}
	name, of := field.AsSelect().FieldName(), f.tree.GetType(field.AsSelect().Operand().ID())
	if of.Kind() != types.StructKind {
		return
	}
	if can := known.wordsFor(of.TypeName(), name); len(can) > 0 {
		f.oneOf(text, append(slices.Clip(can), ""), "the "+name+" of "+withArticle(plainTypes(of.TypeName()))+" is never %q%s")
	}
}

// oneOf notes a text that the field never has.
func (f *finder) oneOf(e ast.Expr, can []string, message string) {
	if e.Kind() != ast.LiteralKind {
		return
	}
	text, isText := e.AsLiteral().Value().(string)
	if !isText || slices.Contains(can, text) {
		return
	}
	f.found = append(f.found, &common.Error{
		Message: fmt.Sprintf(message, text, words.Suggest(text, can)), Location: f.tree.SourceInfo().GetStartLocation(e.ID()), ExprID: e.ID(),
	})
}
