/** What was thrown as text for a log, whatever it is: even printing it may throw. */
export function errorText(error: unknown): string {
  try {
    return String(error);
  } catch {
    return 'something that cannot be printed';
  }
}
