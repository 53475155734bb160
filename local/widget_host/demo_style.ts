/** The style of the page that shows the widgets. */
export const STYLE = `
:root { color-scheme: light dark; }
body {
  margin: 0;
  font: 400 17px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  color: light-dark(#1c1e21, #e8e9eb);
  background: light-dark(#f6f5f2, #17181a);
}
main { max-width: 42rem; margin: 0 auto; padding: 8vh 20px 140px; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 0.4rem; }
a { color: light-dark(#1749c4, #9db8ff); }
nav { display: flex; gap: 8px; margin: 1.2rem 0; }
nav a {
  padding: 6px 16px;
  border: 1px solid light-dark(#8a8f96, #8a8f96);
  border-radius: 20px;
  text-decoration: none;
}
nav a[aria-current] { color: #fff; background: #1749c4; border-color: #1749c4; }
pre {
  padding: 14px 16px;
  overflow-x: auto;
  font-size: 14px;
  line-height: 1.5;
  background: light-dark(#fff, #222428);
  border: 1px solid light-dark(#dcdad4, #3a3d42);
  border-radius: 10px;
}
`;
