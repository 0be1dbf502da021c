"""What draws scenes in a browser: `scene.js`, `words.js` and the theme; and what the viewer's page is made of."""
