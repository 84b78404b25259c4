import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import type { UserConfig } from 'vite';

const config: UserConfig = defineConfig({
  // Relative, so that any server may mount the page under any path.
  base: './',
  plugins: [react()],
  build: {
    outDir: 'dist/app',
    emptyOutDir: true,
    // A file in a style sheet as data: would need a wider content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    chunkSizeWarningLimit: 900,
    reportCompressedSize: false,
  },
});

export default config;
