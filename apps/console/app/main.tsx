import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import './styles/index.css';
import { applyTheme, storedTheme } from './shell/theme-switch.tsx';

applyTheme(storedTheme());
const root = document.querySelector('#root');
if (root === null) throw new TypeError('The document has no #root');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
