import { Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../ui/button.tsx';
import { applyTheme, storedTheme } from './theme.ts';
import type { Theme } from './theme.ts';

const following: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const icons = { system: Monitor, light: Sun, dark: Moon };

/** Goes from the system's look to light, to dark, and back. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(storedTheme);

  function onClick(): void {
    applyTheme(following[theme]);
    setTheme(following[theme]);
  }

  return <IconButton label={`Theme: ${theme}. Change to ${following[theme]}`} icon={icons[theme]} onClick={onClick} />;
}
