/** The content of `style.css`, which the build puts here. */
export const STYLE = "__OUTBOUND_LOADER_CSS__";
