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
    // Everything that the first page needs is one file: a file each for what pages share would be twenty requests.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shell', tags: ['$initial'] }] } } },
    // test/console/size.test.ts has the budgets, compressed.
    chunkSizeWarningLimit: 2000,
  },
});
