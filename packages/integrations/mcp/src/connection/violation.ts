/** Ends the connection, because the server `did` something that the limits do not allow: `sent too many messages`. */
export type Violation = (did: string) => void;
