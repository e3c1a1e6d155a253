import { type LayoutRequest, layOut } from './layout.ts';

/** A thread that lays out the graph that it is sent. */
addEventListener('message', ({ data }: MessageEvent<LayoutRequest>) => postMessage(layOut(data)));
