import { now } from '~/api/live/clock.ts';
import { counted } from '~/ui/quantities.ts';
import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import type { Outputs } from '~/api/client.ts';

type Day = Outputs['configurationManager']['getTrend'][number];

const HEIGHT = 200;
const DAYS = 90;
const DAY_MS = 24 * 3600 * 1000;
/** What the system says of colours, and paper, which is white. */
const SYSTEM = [
  'print',
  '(prefers-color-scheme: dark)',
  '(prefers-contrast: more)',
  '(forced-colors: active)',
];

/** Shares of the grades as lines and the mean score, drawn on a canvas; the table beside it says the same in text. */
export function TrendChart({ days }: { days: readonly Day[] }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = frame;
    if (!current) return undefined;
    let chart: uPlot | undefined;
    const draw = () => {
      chart?.destroy();
      chart = new uPlot(optionsFor(current), dataOf(days), current);
    };
    draw();
    const sizes = new ResizeObserver(() => chart?.setSize({ width: current.clientWidth, height: HEIGHT }));
    sizes.observe(current);
    // The canvas does not follow the style sheet: it is drawn again in the colours of the new theme.
    const theme = new MutationObserver(draw);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const system = SYSTEM.map((query) => matchMedia(query));
    for (const media of system) media.addEventListener('change', draw);
    return () => {
      sizes.disconnect();
      theme.disconnect();
      for (const media of system) media.removeEventListener('change', draw);
      chart?.destroy();
    };
  }, [days]);
  return <div ref={frame} className="trend" role="img" aria-label={summaryOf(days)} />;
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
/** Distances between the marks of an axis that counts devices. */
const WHOLE = [1, 10, 100, 1000, 10_000, 100_000].flatMap((ten) => [ten, 2 * ten, 5 * ten]);

/** Lines differ in dashes and in the shape of their points as well as in colour. A shape is a path around 0, 0. */
const LINES = [
  {
    label: 'Mean score',
    scale: 'score',
    color: '--accent',
    dash: [],
    shape: 'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z',
  },
  { label: 'Pass', scale: 'devices', color: '--good', dash: [9, 4], shape: 'M-3.5-3.5h7v7h-7z' },
  { label: 'Review', scale: 'devices', color: '--warn', dash: [2, 3], shape: 'M0-4.5L4.5 3.5h-9z' },
  { label: 'Fail', scale: 'devices', color: '--bad', dash: [9, 3, 2, 3], shape: 'M0-5L5 0L0 5L-5 0z' },
] as const;
type Line = (typeof LINES)[number];

/** Points that are closer than this would hide the dashes between them, in pixels: some are left out. */
const POINT_DISTANCE = 24;

/** Draws the points of a line in its shape. */
function drawPoints({ shape, scale, color }: Line, token: (name: string) => string) {
  const path = new Path2D(shape);
  return (chart: uPlot, series: number, first: number, last: number): undefined => {
    const [times, values] = [chart.data[0], chart.data[series]];
    const { ctx } = chart;
    const width = chart.bbox.width / devicePixelRatio;
    const every = Math.max(1, Math.ceil((POINT_DISTANCE * DAYS) / width));
    ctx.save();
    ctx.fillStyle = token(color);
    for (let place = last; place >= first; place -= every) {
      const [time, value] = [times[place], values?.[place]];
      if (time === undefined || typeof value !== 'number') continue;
      ctx.setTransform(
        devicePixelRatio,
        0,
        0,
        devicePixelRatio,
        chart.valToPos(time, 'x', true),
        chart.valToPos(value, scale, true),
      );
      ctx.fill(path);
    }
    ctx.restore();
  };
}

const SVG = 'http://www.w3.org/2000/svg';

/** Shows the dashes and the shape of each line in the legend. */
function drawLegend({ root }: uPlot) {
  root.querySelector('.u-legend')?.setAttribute('aria-label', 'Legend of the trend');
  const markers = root.querySelectorAll('.u-legend .u-marker');
  for (const [place, { color, dash, shape }] of LINES.entries()) {
    const svg = document.createElementNS(SVG, 'svg');
    svg.setAttribute('viewBox', '-16 -6 32 12');
    svg.style.color = `var(${color})`;
    const line = document.createElementNS(SVG, 'path');
    line.setAttribute('d', 'M-16 0h32');
    line.setAttribute('stroke', 'currentColor');
    line.setAttribute('stroke-width', '2');
    line.setAttribute('stroke-dasharray', dash.join(' '));
    const point = document.createElementNS(SVG, 'path');
    point.setAttribute('d', shape);
    point.setAttribute('fill', 'currentColor');
    svg.append(line, point);
    // The first marker is that of the day.
    markers[place + 1]?.replaceChildren(svg);
  }
}

/** Without a pointer over the picture, the legend has the values of the last day. */
function showLast(chart: uPlot) {
  if ((chart.cursor.left ?? -1) < 0) chart.setLegend({ idx: chart.data[0].length - 1 }, false);
}

/** A number as the table beside the chart has it: the chart would write it in the digits of the browser's language. */
const numberText = (value: number | null | undefined) =>
  value === null || value === undefined ? '–' : value.toLocaleString('en', { maximumFractionDigits: 2 });

const secondsOf = (date: string) => Date.parse(`${date}T00:00:00Z`) / 1000;

const dataOf = (days: readonly Day[]): uPlot.AlignedData => [
  days.map(({ date }) => secondsOf(date)),
  days.map(({ meanScore }) => meanScore),
  days.map(({ pass }) => pass),
  days.map(({ review }) => review),
  days.map(({ fail }) => fail),
];

function optionsFor(frame: HTMLElement): uPlot.Options {
  const style = getComputedStyle(frame);
  const token = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: token('--text-2'),
    values: (_: uPlot, marks: number[]) => marks.map(numberText),
    font: `11px ${token('--font')}`,
    grid: { stroke: token('--line'), width: 1 },
    ticks: { show: false },
  };
  const label = (text: string) => ({
    label: text,
    labelSize: 18,
    labelFont: `11px ${token('--font')}`,
  });
  const seriesOf = (line: Line): uPlot.Series => ({
    label: line.label,
    scale: line.scale,
    stroke: token(line.color),
    width: 2,
    dash: [...line.dash],
    points: { show: drawPoints(line, token) },
    value: (_, value) => numberText(value),
  });
  return {
    width: frame.clientWidth,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
    scales: {
      x: { range: lastDays },
      score: { range: [0, 100] },
      devices: { range: (_, __, most) => [0, Math.max(1, most)] },
    },
    axes: [
      { ...axis, values: (_, seconds) => seconds.map((one) => DAY.format(one * 1000)) },
      { ...axis, ...label('Score'), scale: 'score', size: 36 },
      {
        ...axis,
        ...label('Devices'),
        scale: 'devices',
        side: 1,
        size: 36,
        grid: { show: false },
        incrs: WHOLE,
      },
    ],
    legend: { markers: { width: 0 } },
    hooks: { ready: [drawLegend, showLast], setCursor: [showLast] },
    series: [{ value: '{YYYY}-{MM}-{DD}', label: 'Day' }, ...LINES.map(seriesOf)],
  };
}

/**
 * The whole time that is asked for, so that a single day does not fill the picture. The end is today's: for a single day uPlot
 * proposes one that lies years ahead.
 */
const lastDays = (_: uPlot, first: number): [number, number] => {
  const today = Math.floor(now() / DAY_MS) * (DAY_MS / 1000);
  return [Math.min(first, today - DAYS * (DAY_MS / 1000)), today];
};

function summaryOf(days: readonly Day[]): string {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return 'No days';
  return `Trend of ${counted(days.length, 'day')}: mean score ${first.meanScore} on ${first.date}, ${last.meanScore} on ${last.date}`;
}
