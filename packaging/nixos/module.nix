# A module for NixOS. Swift 6.2 is not in nixpkgs, so the daemon runs in the image that `make image` makes.
{ config, lib, ... }:

let
  cfg = config.services.safelight;
  # limits.guest is SAFELIGHT_LIMITS_GUEST.
  variable = name: "SAFELIGHT_" + lib.toUpper (lib.replaceStrings [ "." ] [ "_" ] name);
in
{
  options.services.safelight = {
    enable = lib.mkEnableOption "Safelight, encrypted vaults for photos on the home network";

    imageFile = lib.mkOption {
      type = lib.types.nullOr lib.types.path;
      default = null;
      example = "./safelight-image.tar.gz";
      description = "The image, as `docker save safelight | gzip` writes it; null where it is loaded already.";
    };

    image = lib.mkOption {
      type = lib.types.str;
      default = "safelight:latest";
      description = "The image's name and tag.";
    };

    dataDir = lib.mkOption {
      type = lib.types.path;
      default = "/var/lib/safelight";
      description = "Where vaults and the certificate lie. It has to be on a file system that syncs.";
    };

    port = lib.mkOption {
      type = lib.types.port;
      default = 8080;
      description = "Of the page, by HTTP and by HTTPS.";
    };

    openFirewall = lib.mkOption {
      type = lib.types.bool;
      default = false;
      description = "Whether devices of the network may come to the page and ask for its name (mDNS).";
    };

    settings = lib.mkOption {
      type = lib.types.attrsOf lib.types.str;
      default = { };
      example = { "limits.guest" = "4096"; };
      description = "Further keys of the configuration, see `safelight serve --help`.";
    };
  };

  config = lib.mkIf cfg.enable {
    # By its number: the image has a user of its own.
    systemd.tmpfiles.rules = [ "d ${cfg.dataDir} 0700 2342 2342 -" ];

    virtualisation.oci-containers.containers.safelight = {
      inherit (cfg) image;
      # Older versions take a path in the store alone, which this makes of a file.
      imageFile = if cfg.imageFile == null then null else "${cfg.imageFile}";
      volumes = [ "${cfg.dataDir}:/var/lib/safelight" ];
      environment = {
        SAFELIGHT_LISTEN = "[::]:${toString cfg.port}";
      } // lib.mapAttrs' (name: value: lib.nameValuePair (variable name) value) cfg.settings;
      # As compose.yaml has them, each for its reason there.
      extraOptions = [
        "--network=host"
        "--hostname=safelight"
        "--read-only"
        "--cap-drop=ALL"
        "--security-opt=no-new-privileges"
        "--ulimit=memlock=67108864:67108864"
        "--ulimit=core=0:0"
        "--stop-timeout=40"
      ];
    };

    networking.firewall = lib.mkIf cfg.openFirewall {
      allowedTCPPorts = [ cfg.port ];
      allowedUDPPorts = [ 5353 ];
    };
  };
}
