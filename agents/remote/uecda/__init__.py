"""The wire of the UEC contest in Daifugo: protocol 20070, as a server and as a client."""
