/** Structured log sink: a message for people, fields for machines. Must not throw. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Fields of a log record. Never put secrets or arguments of tools here. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Logger that drops every record. Default of the libraries. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
