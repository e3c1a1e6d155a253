import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  plugins: [react()],
  resolve: { alias: { '~': fileURLToPath(new URL('src', import.meta.url)) } },
  build: {
    target: 'es2023',
    // No asset is inlined: the content security policy allows no data: URLs but for images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // test/console/size.test.ts has the budgets, compressed.
    chunkSizeWarningLimit: 2000,
  },
});
