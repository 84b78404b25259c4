import type { Clock, PluginContext, ToolContext } from '@ravi/kernel';
import { workspaceOfCall } from '@ravi/tools-kit';
import type { Workspace } from '@ravi/tools-kit';
import { openImages } from './image/open-images.ts';
import type { ImageOptions, Images } from './image/open-images.ts';
import { openConnections } from './sql/connections.ts';
import type { ConnectionOptions, Connections } from './sql/connections.ts';

/** Limits of `pdf_read`. */
export interface PdfReadLimits {
  /** Bytes of a file. Default 64 MiB. */
  readonly bytes?: number;
  /** Milliseconds of one call. Default 30 000. */
  readonly ms?: number;
  /** Megabytes of memory of the process that reads. Default 512. */
  readonly memoryMb?: number;
}

/** Options of the tools for data. */
export interface DataOptions {
  /** Folder of the PDF files, relative to the configuration. Default: the workspace of the agent; without one a call fails. */
  readonly root?: string;
  readonly pdf?: PdfReadLimits;
  /** Databases by name. Without any, `sql_query` is not offered. */
  readonly connections?: Readonly<Record<string, ConnectionOptions>>;
  /** Service of `image_gen`; without it the tool is not offered. */
  readonly images?: ImageOptions;
}

/** Resources that the tools for data share. */
export interface DataParts extends AsyncDisposable {
  readonly workspaceOf: (context: Pick<ToolContext, 'cwd'>) => Workspace;
  readonly pdf: { readonly maxBytes: number; readonly timeoutMs: number; readonly memoryMb: number };
  readonly connections: Connections;
  readonly images: Images | undefined;
  readonly clock: Clock;
}

/** Opens what the tools share. @throws KernelError `E_CONFIG_INVALID` */
export function openData(options: DataOptions & Pick<PluginContext, 'baseDir' | 'clock'>): DataParts {
  const { root, pdf = {}, baseDir, clock } = options;
  const images = options.images === undefined ? undefined : openImages(options.images);
  return {
    workspaceOf: workspaceOfCall({ root, baseDir }),
    pdf: { maxBytes: pdf.bytes ?? 64 * 1024 * 1024, timeoutMs: pdf.ms ?? 30_000, memoryMb: pdf.memoryMb ?? 512 },
    connections: openConnections(options.connections ?? {}, { baseDir, clock }),
    images,
    clock,
    async [Symbol.asyncDispose]() {
      await images?.[Symbol.asyncDispose]();
    },
  };
}
