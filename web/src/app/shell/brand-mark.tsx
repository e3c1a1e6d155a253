/** The sign of the product: two tracks that a switch joins. */
export const BrandMark = () => (
  <svg className="brand-mark" viewBox="0 0 24 24" fill="none" aria-hidden="true">
    <path
      d="M5 7h4c4 0 4 10 8 10h2M5 17h14M15 7h4"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
    />
  </svg>
);
