package sdktest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/ec2"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/elb"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/elbv2"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/service"
	"github.com/simcloud-dev/simcloud/simcloud/dialect/aws/sts"
)

// services are those of the dialect, by what AWS' clients call them. What these clients make of an answer is
// generated from AWS' own models.
var services = map[string]*service.Service{
	"EC2": ec2.New(), "Elastic Load Balancing": elb.New(), "Elastic Load Balancing v2": elbv2.New(), "STS": sts.New(),
}

// answers holds each answer that clients get to the models of AWS: an element that the client does not know, or
// knows at another place, would not reach the caller.
type answers struct {
	report func(format string, args ...any)
	mu     sync.Mutex
	// spoiled is whether a fault rule makes answers that are not the dialect's.
	spoiled bool
	// done are the operations that have succeeded, as the dialect names them.
	done map[string]bool
}

func newAnswers(t testing.TB) *answers {
	return &answers{report: t.Errorf, done: map[string]bool{}}
}

// spoil sets whether answers are not the dialect's.
func (a *answers) spoil(spoiled bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.spoiled = spoiled
}

// options are those of a client whose answers are checked.
func (a *answers) options() []func(*middleware.Stack) error {
	const decoder = "OperationDeserializer"
	return []func(*middleware.Stack) error{func(stack *middleware.Stack) error {
		return errors.Join(
			stack.Deserialize.Insert(middleware.DeserializeMiddlewareFunc("KeepBody", keepBody), decoder, middleware.After),
			stack.Deserialize.Insert(middleware.DeserializeMiddlewareFunc("CheckAnswer", a.check), decoder, middleware.Before),
		)
	}}
}

// kept is the body of an answer, which keeps what is read of it.
type kept struct {
	io.ReadCloser
	read bytes.Buffer
}

// Read implements io.Reader.
func (k *kept) Read(p []byte) (int, error) {
	n, err := k.ReadCloser.Read(p)
	k.read.Write(p[:n])
	return n, err
}

// whole is the body, also what the client did not read.
func (k *kept) whole() []byte {
	_, _ = io.Copy(io.Discard, k) // what does not arrive is judged by the client
	return k.read.Bytes()
}

// keepBody keeps the body of an answer before the client decodes it.
func keepBody(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
	out, metadata, err := next.HandleDeserialize(ctx, in)
	if res, ok := out.RawResponse.(*smithyhttp.Response); ok && res.Body != nil {
		res.Body = &kept{ReadCloser: res.Body}
	}
	return out, metadata, err
}

// check holds an answer to what the client has made of it.
func (a *answers) check(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
	out, metadata, err := next.HandleDeserialize(ctx, in)
	a.mu.Lock()
	defer a.mu.Unlock()
	res, ok := out.RawResponse.(*smithyhttp.Response)
	if !ok || a.spoiled {
		return out, metadata, err
	}
	body, ok := res.Body.(*kept)
	if !ok {
		return out, metadata, err
	}
	s := services[awsmiddleware.GetServiceID(ctx)]
	action := awsmiddleware.GetOperationName(ctx)
	var problems []string
	var refusal smithy.APIError
	switch {
	case err == nil:
		a.done[s.OperationName(action)] = true
		problems = unlike(body.whole(), action, out.Result)
	case errors.As(err, &refusal) && len(body.whole()) > 0:
		problems = misread(body.whole(), refusal)
	}
	for _, p := range append(problems, misspelt(awsmiddleware.GetServiceID(ctx), body.whole())...) {
		a.report("%s: %s", s.OperationName(action), p)
	}
	return out, metadata, err
}

// unlike tells what of an answer has not reached the output that the client has made of it, and which values their
// enumeration does not have.
func unlike(body []byte, action string, output any) []string {
	root, err := parse(body)
	if err != nil {
		return []string{err.Error()}
	}
	read := leavesOf(output)
	problems := slices.Clone(read.unknown)
	if want := action + "Response"; root.XMLName.Local != want {
		problems = append(problems, "the answer is a "+root.XMLName.Local+", want "+want)
	}
	leaves := slices.DeleteFunc(root.leaves(""), func(l leaf) bool { return dropped(l.path, action, output) })
	for _, l := range read.missing(leaves) {
		problems = append(problems, "the client does not read "+l.path+", which has the text "+l.text)
	}
	return problems
}

// dropped reports whether the client leaves out an element on purpose.
func dropped(path, action string, output any) bool {
	switch path {
	case "requestId", "ResponseMetadata/RequestId": // it is metadata, which is read from the header
		return true
	case "return": // AWS' documents have it of AssociateAddress, and its model does not
		return action == "AssociateAddress" || len(fieldsOf(reflect.ValueOf(output).Elem())) == 0
	case action + "Result": // the client reads nothing for an output without fields
		return len(fieldsOf(reflect.ValueOf(output).Elem())) == 0
	default:
		return false
	}
}

// misread tells what the client has read of an error in another way than it is in the answer.
func misread(body []byte, refusal smithy.APIError) []string {
	root, err := parse(body)
	if err != nil {
		return []string{err.Error()}
	}
	want := map[string]string{"Code": refusal.ErrorCode(), "Message": refusal.ErrorMessage()}
	var problems []string
	for _, l := range root.leaves("") {
		name := l.path[strings.LastIndex(l.path, "/")+1:]
		switch text, known := want[name]; {
		case known && text != l.text:
			problems = append(problems, "the client has read the "+name+" "+text+" of the error, which is "+l.text)
		case !known && !slices.Contains([]string{"Type", "RequestId", "RequestID"}, name):
			problems = append(problems, "an error has no "+l.path)
		}
		delete(want, name)
	}
	for name := range want {
		problems = append(problems, "the error has no "+name)
	}
	return problems
}
