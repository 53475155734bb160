/** Two digits behind the point: more is noise. */
export function roundFigure(figure: number): number {
  return Number(figure.toFixed(2));
}
