/** How the console looks: as the system says, or as chosen. */
export type Theme = 'system' | 'light' | 'dark';

const key = 'ravi.theme';

/** What was chosen in this browser. */
export function storedTheme(): Theme {
  const stored = localStorage.getItem(key);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

/** Shows it, and remembers it for the next visit. */
export function applyTheme(theme: Theme): void {
  document.documentElement.style.colorScheme = theme === 'system' ? 'light dark' : theme;
  if (theme === 'system') localStorage.removeItem(key);
  if (theme !== 'system') localStorage.setItem(key, theme);
}
