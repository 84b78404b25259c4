import { KernelError } from '@ravi/kernel';
import type { Workspace } from '@ravi/tools-kit';

/**
 * Reads a file of the workspace as text.
 * @throws KernelError `E_FILE_TOO_LARGE`, `E_FILE_BINARY`, and those of `Workspace.openFile`
 */
export async function readText(workspace: Workspace, path: string, maxBytes: number): Promise<string> {
  const file = await workspace.openFile(path);
  try {
    const { size } = await file.stat();
    if (size > maxBytes) throw tooLarge(path, maxBytes);
    const bytes = await file.readFile();
    // It may have grown.
    if (bytes.byteLength > maxBytes) throw tooLarge(path, maxBytes);
    if (bytes.subarray(0, 8192).includes(0)) throw binary(path);
    // A byte order mark stays, so that what is written back has it.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw error instanceof TypeError ? binary(path) : error;
  } finally {
    await file.close();
  }
}

function tooLarge(path: string, maxBytes: number): KernelError {
  return new KernelError('E_FILE_TOO_LARGE', `${JSON.stringify(path)} has more than ${maxBytes} bytes`, {
    hadNoEffect: true,
  });
}

function binary(path: string): KernelError {
  return new KernelError('E_FILE_BINARY', `${JSON.stringify(path)} is not text in UTF-8`, { hadNoEffect: true });
}
