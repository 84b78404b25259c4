import { Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../ui/button.tsx';

const following: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const icons = { system: Monitor, light: Sun, dark: Moon };

/** Switches from the theme of the system to light, to dark, and back. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(storedTheme);

  function onClick(): void {
    applyTheme(following[theme]);
    setTheme(following[theme]);
  }

  return <IconButton label={`Theme: ${theme}. Change to ${following[theme]}`} icon={icons[theme]} onClick={onClick} />;
}

/** Theme of the console: that of the system, or a chosen one. */
export type Theme = 'system' | 'light' | 'dark';

const key = 'ravi.theme';

/** Returns the theme that was chosen in this browser. */
export function storedTheme(): Theme {
  const stored = localStorage.getItem(key);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

/** Applies a theme, and stores it for the next visit. */
export function applyTheme(theme: Theme): void {
  document.documentElement.style.colorScheme = theme === 'system' ? 'light dark' : theme;
  if (theme === 'system') localStorage.removeItem(key);
  if (theme !== 'system') localStorage.setItem(key, theme);
}
