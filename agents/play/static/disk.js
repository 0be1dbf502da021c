// Say what to do if a page was opened from the disk. This is no module: browsers load none from there.

if (location.protocol === "file:") document.getElementById("disk").hidden = false;
