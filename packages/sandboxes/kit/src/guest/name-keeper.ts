/** Defines what the texts of functions call when a bundler keeps their names (`keepNames` of esbuild); it does nothing. */
export const nameKeeper = 'const __name = (target) => target;';
