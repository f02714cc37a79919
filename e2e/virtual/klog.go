package virtual

import (
	"fmt"
	"io"

	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"
)

// routeKlog makes klog write to the process whose goroutine logs. The logging configuration of component-base is applied
// before, so that an app of k8s.io/cloud-provider finds it applied and leaves klog alone.
func routeKlog() error {
	logsapi.ReapplyHandling = logsapi.ReapplyHandlingIgnoreUnchanged
	if err := logsapi.ValidateAndApply(logsapi.NewLoggingConfiguration(), nil); err != nil {
		return fmt.Errorf("set klog up: %w", err)
	}
	klog.StopFlushDaemon() // it reads the logger that is replaced, and what is written here needs no flush
	setLogger(Logger(byGoroutine{}, 0))
	return nil
}

// setLogger makes klog use a logger as component-base does: unstructured lines stay as they are.
func setLogger(logger klog.Logger) {
	opts := []klog.LoggerOption{klog.ContextualLogger(true)}
	if sink, ok := logger.GetSink().(textlogger.KlogBufferWriter); ok {
		opts = append(opts, klog.WriteKlogBuffer(sink.WriteKlogBuffer))
	}
	klog.SetLoggerWithOptions(logger, opts...)
}

// byGoroutine writes to the process of the goroutine that calls. It has no errors: klog would end the program.
type byGoroutine struct{}

// Write implements io.Writer.
func (byGoroutine) Write(line []byte) (int, error) {
	if p := Current(); p != nil {
		_, _ = p.Write(line)
	}
	return len(line), nil
}

// Logger returns a logger that writes as a process with that -v does.
func Logger(to io.Writer, verbosity int) klog.Logger {
	return textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(to), textlogger.Verbosity(verbosity)))
}
