package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simcloud-dev/simcloud/cmd/internal/cli/output"
	"github.com/simcloud-dev/simcloud/cmd/internal/cli/usage"
	"github.com/simcloud-dev/simcloud/e2e/kind/nodeimage"
)

var nodeImageTable = output.Table[nodeimage.Image]{
	output.Col("IMAGE", func(i nodeimage.Image) string { return i.Ref }),
	output.Col("SIZE", func(i nodeimage.Image) string { return megabytes(i.Size()) }),
	output.Col("BUILT", func(i nodeimage.Image) string { return output.TimeCell(i.Built) }),
	output.Col("CURRENT", func(i nodeimage.Image) string { return yesCell(i.Current) }),
	output.WideCol("LAYERS", layersCell),
	output.Col("ARCHIVE", func(i nodeimage.Image) string { return i.Archive }),
}

func layersCell(i nodeimage.Image) string {
	var cells []string
	for _, layer := range i.Layers {
		cells = append(cells, layer.Name+" "+megabytes(layer.Size))
	}
	return strings.Join(cells, ", ")
}

// megabytes writes a size as engines do: in powers of ten.
func megabytes(bytes int64) string { return fmt.Sprintf("%d MB", (bytes+500_000)/1_000_000) }

func yesCell(is bool) string {
	if is {
		return "yes"
	}
	return ""
}

func newNodeImageCommand() *cobra.Command {
	var out output.Format
	cmd := &cobra.Command{
		Use: "node-image", Aliases: []string{"node-images"}, Short: "Manage the image that the nodes of kind clusters run",
		Long: `Manage the image that the nodes of kind clusters run.

Without any of these commands, nodes run kind's published image, which the
engine pulls. "build" makes one of this machine's Debian packages and of Go
modules, for places without a registry; nodes run that from then on.
--node-image of simcloud test and up names any other.`,
		Args: usage.KnownCommand, RunE: usage.ShowHelp,
		Example: "  simcloud node-image build\n  simcloud node-image list -o wide\n  docker load -i \"$(simcloud node-image path)\"",
	}
	out.AddFlag(cmd)
	cmd.AddCommand(newNodeImageBuildCommand(&out), newNodeImageListCommand(&out), newNodeImagePathCommand(), newNodeImageDeleteCommand(&out))
	return cmd
}

func newNodeImageBuildCommand(out *output.Format) *cobra.Command {
	return &cobra.Command{
		Use: "build", Short: "Build the image, unless it is there already",
		Long: `Build the image, unless it is there already.

It takes Linux with Debian's packages, the go command, and root. About 10
minutes on 2 cores the first time; no container engine is needed. Whatever
decides what is in the image is part of its name, and what was built once is
kept in the cache, the newest three of everything.`,
		Example: "  simcloud node-image build",
		Args:    usage.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			image, err := nodeimage.Build(cmd.Context(), nodeimage.Options{
				Progress: output.Printer(cmd.ErrOrStderr()),
			})
			if err != nil {
				return err
			}
			return nodeImageTable.One(cmd.OutOrStdout(), *out, image)
		},
	}
}

func newNodeImageListCommand(out *output.Format) *cobra.Command {
	return &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List the images that were built", Args: usage.NoArgs,
		Example: "  simcloud node-image list\n  simcloud node-image list -o wide",
		RunE: func(cmd *cobra.Command, _ []string) error {
			images, err := nodeimage.List()
			if err != nil {
				return err
			}
			return nodeImageTable.List(cmd.OutOrStdout(), *out, images)
		},
	}
}

func newNodeImagePathCommand() *cobra.Command {
	return &cobra.Command{
		Use: "path", Short: "Print the path of the image's archive, which docker load takes", Args: usage.NoArgs,
		Example: "  simcloud node-image path\n  docker load -i \"$(simcloud node-image path)\"",
		RunE: func(cmd *cobra.Command, _ []string) error {
			image, err := nodeimage.Current()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), image.Archive)
			return err
		},
	}
}

func newNodeImageDeleteCommand(out *output.Format) *cobra.Command {
	return &cobra.Command{
		Use: "delete IMAGE...", Aliases: []string{"rm"}, Short: "Delete images from the cache", Args: usage.MinArgs(1),
		Example: "  simcloud node-image delete simcloud-node:4f0c2a91d7e3",
		Long:    `Delete images from the cache. What was loaded into an engine stays there until a newer one is loaded.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return output.DeleteEach(cmd.OutOrStdout(), *out, "node image", args, nodeimage.Delete)
		},
	}
}
